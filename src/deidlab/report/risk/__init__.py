"""What a masked output still tells of patients, as tables."""
