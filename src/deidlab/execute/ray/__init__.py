"""Workers on Ray: the same contract as `local`, on one machine or on a cluster.

cluster.py    an address in, a connection out; the only place that starts or finds Ray
closing.py    a Ray of our own is on loopback, with a token that nobody else has
settings.py   what one asks of a cluster: how many workers, what each needs, how often to try again
sealing.py    what travels through Ray's object store is sealed for the run
worker.py     the actor: sealed values in, sealed answers out; no exception leaves it
actors.py     the actors as workers of a crew, for short tasks and for long jobs
executor.py   tasks in, completions out, in order
reading.py    Parquet through Ray Data: what workers' machines read, and the driver never sees

Nothing here is imported unless a person asks for Ray, and `ray` itself only inside functions.
"""
