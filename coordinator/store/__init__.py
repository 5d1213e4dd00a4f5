"""The task table: what is done in one transaction, in SQL that both databases understand."""
