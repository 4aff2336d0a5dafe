/**
 * What all scripts begin with. Redis runs a script as one atomic step. A record is known by its reference: owner, kind and
 * id, which have no control characters, one to a line. All keys begin with the prefix of the store:
 *
 * - `r:` and the reference, a hash: the fields of a record and its text
 * - `o:` and the reference, a sorted set: position, part and id of each item, by position
 * - `i:` and the reference, a hash: checksum and text of each item, by position
 * - `h:`, owner and item id, a sorted set: position and reference of each record that holds it
 * - `w` and `w:` with an owner: references by the order of writing; `x`: by expiry; `u`: the writers of unfinished responses
 * - `shares:bytes`, `shares:records`: how much each owner has, below zero so that the one who has most comes first; `n`: counters
 * - `e:` and the reference: its events (`lua-events.ts`)
 * - `g:`, owner and id: a response that was deleted; `s:` and a token: what its holder is to stop; `l:` and a token: a lease
 */
export const prelude: string = `
local P = KEYS[1]
local at = 0
local function arg() at = at + 1; return ARGV[at] end
local function number() return tonumber(arg()) end
local function optional() local value = arg(); if value ~= '' then return value end end
local function list()
  local values = {}
  for i = 1, number() do values[i] = arg() end
  return values
end
-- Lua would write a large number with an exponent.
local function whole(value) return string.format('%.0f', value) end
local call = redis.call
-- A server whose memory is full refuses a script by its first write: one that can take room. A script that begins with
-- another goes on to its end.
local function takesRoom() call('HINCRBY', P .. 'n', 'written', 0) end
local function makesRoom() call('UNLINK', P .. 'nothing') end

local function refOf(owner, kind, id) return owner .. '\\n' .. kind .. '\\n' .. id end
local function ownerOf(ref) return string.match(ref, '^[^\\n]*') end

local function find(ref, now, ...)
  local values = call('HMGET', P .. 'r:' .. ref, 'expires', ...)
  if values[1] and tonumber(values[1]) > now then return values end
end

-- Writes it as the record written last, with its size and time of expiry.
local function touch(ref, bytes, expires)
  local owner = ownerOf(ref)
  local before = call('HGET', P .. 'r:' .. ref, 'bytes')
  local grown = bytes - tonumber(before or '0')
  if not before then call('ZINCRBY', P .. 'shares:records', -1, owner) end
  call('HSET', P .. 'r:' .. ref, 'bytes', whole(bytes), 'expires', expires)
  call('HINCRBY', P .. 'n', 'bytes', whole(grown))
  call('ZINCRBY', P .. 'shares:bytes', whole(-grown), owner)
  local written = call('HINCRBY', P .. 'n', 'written', 1)
  call('ZADD', P .. 'w', written, ref)
  call('ZADD', P .. 'w:' .. owner, written, ref)
  call('ZADD', P .. 'x', expires, ref)
end

local function splitPlace(place) return string.match(place, '^(%d+)\\n(%a+)\\n(.*)$') end
local function splitItem(value)
  local line = string.find(value, '\\n', 1, true)
  return string.sub(value, 1, line - 1), string.sub(value, line + 1)
end

local function removeItems(ref)
  local owner = ownerOf(ref)
  for _, place in ipairs(call('ZRANGE', P .. 'o:' .. ref, 0, -1)) do
    local position, _, id = splitPlace(place)
    call('ZREM', P .. 'h:' .. owner .. '\\n' .. id, position .. ' ' .. ref)
  end
  call('UNLINK', P .. 'o:' .. ref, P .. 'i:' .. ref)
end

local function remove(ref)
  local owner = ownerOf(ref)
  local bytes = call('HGET', P .. 'r:' .. ref, 'bytes')
  removeItems(ref)
  call('UNLINK', P .. 'r:' .. ref, P .. 'e:' .. ref)
  call('ZREM', P .. 'w', ref)
  call('ZREM', P .. 'w:' .. owner, ref)
  call('ZREM', P .. 'x', ref)
  call('HDEL', P .. 'u', ref)
  if not bytes then return end
  call('HINCRBY', P .. 'n', 'bytes', '-' .. bytes)
  call('ZINCRBY', P .. 'shares:bytes', bytes, owner)
  if tonumber(call('ZINCRBY', P .. 'shares:records', 1, owner)) >= 0 then
    call('ZREM', P .. 'shares:records', owner)
    call('ZREM', P .. 'shares:bytes', owner)
  end
end

local function addItems(ref, part, ids, texts, sums, first, last)
  local owner = ownerOf(ref)
  for i = first, last do
    local position = whole(call('HINCRBY', P .. 'n', 'position', 1))
    call('ZADD', P .. 'o:' .. ref, position, position .. '\\n' .. part .. '\\n' .. ids[i])
    call('HSET', P .. 'i:' .. ref, position, sums[i] .. '\\n' .. texts[i])
    call('ZADD', P .. 'h:' .. owner .. '\\n' .. ids[i], position, position .. ' ' .. ref)
  end
end

-- Where a record has an item of this id.
local function positionIn(ref, id)
  for _, holder in ipairs(call('ZRANGE', P .. 'h:' .. ownerOf(ref) .. '\\n' .. id, 0, -1)) do
    local position, held = string.match(holder, '^(%d+) (.*)$')
    if held == ref then return position end
  end
end

-- The first of so many ids that occurs twice, or that the conversation has.
local function duplicate(ref, ids, count)
  local seen = {}
  for i = 1, count do
    if seen[ids[i]] or positionIn(ref, ids[i]) then return ids[i] end
    seen[ids[i]] = true
  end
end

-- Rows of part, id, text and checksum for places of a record.
local function readItems(ref, places, rows)
  for _, place in ipairs(places) do
    local position, part, id = splitPlace(place)
    local value = call('HGET', P .. 'i:' .. ref, position)
    if value then
      local sum, text = splitItem(value)
      rows[#rows + 1] = { part, id, text, sum }
    end
  end
  return rows
end

-- The position and reference of the item of this id written last, in a record that has not expired.
local function newest(owner, id, now)
  for _, holder in ipairs(call('ZREVRANGE', P .. 'h:' .. owner .. '\\n' .. id, 0, -1)) do
    local position, ref = string.match(holder, '^(%d+) (.*)$')
    if find(ref, now) then return position, ref end
  end
end

local function isAlive(token) return call('EXISTS', P .. 'l:' .. token) == 1 end

local day = 86400
local function stop(token, owner, id)
  call('SADD', P .. 's:' .. token, owner .. '\\n' .. id)
  call('EXPIRE', P .. 's:' .. token, day)
end

local function expire(trusted, limit)
  local refs = call('ZRANGEBYSCORE', P .. 'x', '-inf', whole(trusted), 'LIMIT', 0, limit)
  for _, ref in ipairs(refs) do remove(ref) end
  return #refs
end

-- The record written longest ago of the owner who has most. Never the record written last: its writer was promised it.
local function leastWanted(share)
  local last = call('ZREVRANGE', P .. 'w', 0, 0)[1]
  local owner = call('ZRANGE', P .. 'shares:' .. share, 0, 0)[1]
  local oldest = owner and call('ZRANGE', P .. 'w:' .. owner, 0, 0)[1]
  if oldest and oldest ~= last then return oldest end
  oldest = call('ZRANGE', P .. 'w', 0, 0)[1]
  if oldest ~= last then return oldest end
end

local function trim(trusted, maxRecords, maxBytes, limit)
  local function over()
    if call('ZCARD', P .. 'w') > maxRecords then return 'records' end
    if tonumber(call('HGET', P .. 'n', 'bytes') or '0') > maxBytes then return 'bytes' end
  end
  local removed = expire(trusted, limit)
  while removed < limit and over() do
    local ref = leastWanted(over())
    if not ref then break end
    remove(ref)
    removed = removed + 1
  end
  return removed
end
`
