"""What a run will take, before it takes it.

counting.py     a source -> how many notes it has, and how long they are
measuring.py    a sample, masked for real -> what a note takes
forecasting.py  measured costs -> time, memory, disk and money of the whole
"""
