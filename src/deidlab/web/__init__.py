"""The service and the pages: HTTP in, what detection and masking give out.

settings.py    what a server is told           app.py         the application, put together
hosts.py       which Host and Origin count     auth.py        tokens, log-in, who is asking
limits.py      size, time, concurrency         access_log.py  a line a request; no error quotes a note
batching.py    requests of all clients, in handfuls, to worker processes (worker.py)
api_*.py       the routes under /v1 and those of operation; running.py starts it all
"""
