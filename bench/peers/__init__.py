"""Programs of the peers that `bench/rows/peers.py` compares with."""
