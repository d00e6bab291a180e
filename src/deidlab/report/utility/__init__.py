"""What masking costs and hides, as a report."""
