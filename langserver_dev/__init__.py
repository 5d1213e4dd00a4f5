"""`langserver dev`: coordinator, streams, bridge and language server for one developer. It alone knows them all."""
