"""Running tasks on Ray: the same contract as `local`, on one machine or on a cluster.

cluster.py    an address in, a connection out; the only place that starts or finds Ray
settings.py   what one asks of a cluster: how many workers, what each needs, how often to try again
sealing.py    what travels through Ray's object store is sealed for the run
worker.py     the actor: sealed items in, sealed results out; no exception leaves it
pool.py       the actors: as many as there is work for, fallen ones replaced, idle ones let go
executor.py   tasks in, completions out, in order; a bounded number under way; who kills workers is isolated
reading.py    Parquet through Ray Data: what workers' machines read, and the driver never sees

Nothing here is imported unless a person asks for Ray, and `ray` itself only inside functions.
"""
