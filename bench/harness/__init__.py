"""What bench/run is made of: sides (who is timed), work (least bytes and operations), limits, groups, tables."""
