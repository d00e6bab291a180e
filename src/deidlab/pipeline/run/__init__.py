"""A run under way.

one_pass.py   source -> tasks -> executor -> what became of them: the one loop
find.py       what a worker does to find PHI; mask.py what it does to mask and render a note
              (annotations.py, sharing.py, map_entries.py; given.py where people gave the spans)
partial.py    the run's folder: state.py (between the passes), parts.py (what is done); sealing.py, spool.py
identity.py   what tells a job from others; sameness.py, comparing.py (other machines), overwriting.py
failing.py    the list of failures; record.py what stands beside the output
"""
