"""What people read: tables and figures, made from figures that other stages computed."""
