/*
 * Lua functions that several scripts have in common. They read and write by KEYS alone, so that a cluster knows where they run.
 */

/** `now()`: milliseconds since 1970 on the server's clock, which is the only one that all workers share. */
export const NOW = `local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/** `record(receipt, holder)`: what `holders` says of the message if it is that holder's, else nil. */
export const RECORD = `local function record(receipt, holder)
  local found = redis.call('HGET', KEYS[2], receipt)
  return found and string.sub(found, 1, #holder + 1) == holder .. ' ' and found
end
`;

/** `textAt(key)`: what stands there, nil where there is nothing or something else: an error would end a script half done. */
export const TEXT_AT = `local function textAt(key)
  local found = redis.pcall('GET', key)
  return type(found) == 'string' and found or nil
end
`;

/** `deadline(record)`: the score that the message had on its queue, as a text. */
export const DEADLINE = `local function deadline(record)
  return string.match(record or '', ' (%S+)$') or '0'
end
`;

/**
 * `letGo(receipt)`: nobody holds the message any more. KEYS leases, holders, taken. To be the first thing that a script writes: Redis lets
 * one go on that has begun, however full it is, and what is taken can be ended then.
 */
export const LET_GO = `local function letGo(receipt)
  redis.call('ZREM', KEYS[1], receipt)
  redis.call('HDEL', KEYS[2], receipt)
  redis.call('HDEL', KEYS[3], receipt)
end
`;

/** Bytes at the beginning of a member that have all of its `internal`. */
const HEAD = 4096;

/**
 * `triesOf(member)`: tries that are counted in `internal.retry_count`, and where the number stands.
 * `counted(member)`: the same with one more. Only the head is looked at, up to the key `data`: keys cannot be mistaken there, since a quote
 * inside a text has a backslash before it. The number stands behind the token, so that what a member begins with stays.
 */
export const TRIES = `local TOKEN = '^{"internal":{"request_token":"%x+"'
local function triesOf(member)
  local head = string.sub(member, 1, ${HEAD})
  local stop = string.find(head, '"data":', 1, true) or #head
  local first, last, digits = string.find(string.sub(head, 1, stop), '"retry_count":(%d+)')
  return math.min(tonumber(digits or '0'), 1000000), first, last
end
local function counted(member)
  local tries, first, last = triesOf(member)
  local text = string.format('"retry_count":%d', tries + 1)
  if first then return string.sub(member, 1, first - 1) .. text .. string.sub(member, last + 1) end
  local _, token = string.find(member, TOKEN)
  if token then return string.sub(member, 1, token) .. ',' .. text .. string.sub(member, token + 1) end
  local _, open = string.find(member, '^{"internal":{')
  if not open then return member end
  local comma = string.sub(member, open + 1, open + 1) == '}' and '' or ','
  return string.sub(member, 1, open) .. text .. comma .. string.sub(member, open + 1)
end
`;

/**
 * `deliver(mailbox, active, cancel, token, result, ttl, pending)`: puts the one result into the mailbox and ends the request, unless
 * there is one, or the request is that of a later submission. `pending`: only of a submission that is known to be pending.
 * Gives 1 when it was put there, 2 when there is one, 3 when the request is not this submission's.
 */
export const DELIVER = `${TEXT_AT}local function deliver(mailbox, active, cancel, token, result, ttl, pending)
  local marked = textAt(active)
  if marked and marked ~= token then return 3 end
  if pending and not marked then return 3 end
  local reply = 2
  if redis.call('EXISTS', mailbox) == 0 then
    redis.call('RPUSH', mailbox, result)
    redis.call('EXPIRE', mailbox, ttl)
    reply = 1
  end
  redis.call('DEL', active)
  if textAt(cancel) == token then redis.call('DEL', cancel) end
  return reply
end
`;
