"""`python -m deidlab` is `deidlab`."""

from deidlab.cli.app import main

if __name__ == "__main__":
    main()
