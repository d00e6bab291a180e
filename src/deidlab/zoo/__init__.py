"""What is known of each architecture: its configuration, every tensor it has, and what fits in memory."""
