"""What every endpoint shares: errors, permissions, pagination, schema."""
