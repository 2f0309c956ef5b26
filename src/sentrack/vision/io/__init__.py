"""Detections from elsewhere: the files and objects of other programs, read and written."""
