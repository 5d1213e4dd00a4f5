"""What Redis has to decide by itself, since between a question and an act of ours somebody else may have acted."""

from typing import Final

# KEYS: the registration. ARGV: nonce, milliseconds. 1: the name is ours.
REGISTER: Final = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""

# KEYS: the registration. ARGV: nonce.
UNREGISTER: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
"""

# KEYS: the stream. ARGV: group, consumer, entry id. 1: it was this consumer's, and is gone.
ACK_IF_MINE: Final = """
if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then return 0 end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])
redis.call('XDEL', KEYS[1], ARGV[3])
return 1
"""

# KEYS: the stream, its dead stream. ARGV: group, entry id, the fields of the parked entry. A script and no MULTI: that
# would remove the entry also where the dead stream cannot be added to.
PARK: Final = """
redis.call('XADD', KEYS[2], '*', unpack(ARGV, 3))
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
return 1
"""

# KEYS: the stream. ARGV: group, milliseconds, prefix of registrations. To delete a consumer that holds entries would
# lose them, so one must get none between the look and the deletion.
REMOVE_IDLE: Final = """
local removed = {}
for _, row in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for at = 1, #row, 2 do consumer[row[at]] = row[at + 1] end
  if consumer.pending == 0 and consumer.idle > tonumber(ARGV[2])
      and redis.call('EXISTS', ARGV[3] .. consumer.name) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    removed[#removed + 1] = consumer.name
  end
end
return removed
"""
