"""What can be done with queues and their items."""
