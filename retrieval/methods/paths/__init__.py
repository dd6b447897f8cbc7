"""What the methods that learn paths share."""
