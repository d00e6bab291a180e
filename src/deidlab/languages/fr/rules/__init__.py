"""Rules for French notes: there is no model of French yet, so that they must find all PHI by themselves."""
