"""One file a system: `open_system(settings)` gives `find` (a text in, `{"spans": […]}` out) and what is known
of it.

Nothing is imported before a system is opened, and those of other people's libraries import nothing of
DeidLab: the library may be in an environment of its own. `PACKAGES` are what it needs, as pip knows them.
"""
