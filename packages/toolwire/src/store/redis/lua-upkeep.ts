/**
 * Scripts for claims (`c:` with holder and id, and `claims` by expiry), counters (`k:` with owner and name, and `counts` by
 * expiry), secrets, usage, leases and upkeep. They follow
 * `lua-records.ts`, and return rows of texts.
 */
import type { UpkeepProcedure } from '../shared/procedures.ts'

const claims = `
local function claim(holder, id, owner, expires, sum)
  local name = holder .. '\\n' .. id
  call('HSET', P .. 'c:' .. name, 'owner', owner, 'expires', expires, 'sum', sum)
  call('ZADD', P .. 'claims', expires, name)
end
local function claimed(holder, id, now)
  local found = call('HMGET', P .. 'c:' .. holder .. '\\n' .. id, 'expires', 'owner', 'sum')
  if found[1] and tonumber(found[1]) > now then return found end
end`

export const upkeepScripts: Readonly<Record<UpkeepProcedure, string>> = {
  claim_ids: `${claims}
local owner, holder, expires, ids, sums = arg(), arg(), arg(), list(), list()
for i, id in ipairs(ids) do claim(holder, id, owner, expires, sums[i]) end
return {}`,

  swap_claim: `${claims}
local now, holder, id, expected, owner, expires, sum = number(), arg(), arg(), optional(), arg(), arg(), arg()
local found = claimed(holder, id, now)
if (found and found[2]) ~= expected then return {} end
claim(holder, id, owner, expires, sum)
return { { 'ok' } }`,

  owners_of: `${claims}
local now, holder, rows = number(), arg(), {}
for _, id in ipairs(list()) do
  local found = claimed(holder, id, now)
  if found then rows[#rows + 1] = { id, found[2], found[1], found[3] } end
end
return rows`,

  secret: `
local name, candidate, sum = arg(), arg(), arg()
if call('HSETNX', P .. 'secrets', name, sum .. '\\n' .. candidate) == 1 then return { { candidate, sum } } end
local known, text = splitItem(call('HGET', P .. 'secrets', name))
return { { text, known } }`,

  add_usage: `
local hours, keys, sums = list(), list(), list()
for i, hour in ipairs(hours) do
  for column = 1, 7 do
    call('HINCRBY', P .. 'usage:' .. hour, column .. keys[i], sums[(i - 1) * 7 + column])
  end
  call('ZADD', P .. 'usage', hour, hour)
end
return {}`,

  read_usage: `
local rows = {}
for _, hour in ipairs(call('ZRANGEBYSCORE', P .. 'usage', arg(), '+inf')) do
  local values, byKey = call('HGETALL', P .. 'usage:' .. hour), {}
  for i = 1, #values, 2 do
    local column, key = tonumber(string.sub(values[i], 1, 1)), string.sub(values[i], 2)
    if not byKey[key] then
      byKey[key] = { hour, key, '0', '0', '0', '0', '0', '0', '0' }
      rows[#rows + 1] = byKey[key]
    end
    byKey[key][column + 2] = values[i + 1]
  end
end
return rows`,

  trim_usage: `
local before = arg()
for _, hour in ipairs(call('ZRANGEBYSCORE', P .. 'usage', '-inf', '(' .. before)) do
  call('UNLINK', P .. 'usage:' .. hour)
end
call('ZREMRANGEBYSCORE', P .. 'usage', '-inf', '(' .. before)
return {}`,

  add_counts: `
local now, owner, names, bys, mosts, expires = number(), arg(), list(), list(), list(), list()
local function valueOf(key)
  local found = call('HMGET', P .. 'k:' .. key, 'value', 'expires')
  return found[2] and tonumber(found[2]) > now and tonumber(found[1]) or 0
end
local isAdded, rows = '1', {}
for i, name in ipairs(names) do
  names[i] = owner .. '\\n' .. name
  if mosts[i] ~= '' and valueOf(names[i]) >= tonumber(mosts[i]) then isAdded = '0' end
end
for i, key in ipairs(names) do
  if isAdded == '1' then
    local value = whole(math.max(0, valueOf(key) + tonumber(bys[i])))
    call('HSET', P .. 'k:' .. key, 'value', value, 'expires', expires[i])
    call('ZADD', P .. 'counts', expires[i], key)
  end
end
for i, key in ipairs(names) do rows[i] = { isAdded, whole(valueOf(key)) } end
return rows`,

  trim_counts: `
local keys = call('ZRANGEBYSCORE', P .. 'counts', '-inf', arg(), 'LIMIT', 0, arg())
for _, key in ipairs(keys) do
  call('UNLINK', P .. 'k:' .. key)
  call('ZREM', P .. 'counts', key)
end
return { { whole(#keys) } }`,

  sweep: `
local trusted, maxRecords, maxBytes, maxClaims, limit = number(), number(), number(), number(), number()
local removed = trim(trusted, maxRecords, maxBytes, limit)
local names = call('ZRANGEBYSCORE', P .. 'claims', '-inf', whole(trusted), 'LIMIT', 0, limit)
local excess = math.min(limit, call('ZCARD', P .. 'claims') - #names - maxClaims)
if #names == 0 and excess > 0 then names = call('ZRANGE', P .. 'claims', 0, excess - 1) end
for _, name in ipairs(names) do
  call('UNLINK', P .. 'c:' .. name)
  call('ZREM', P .. 'claims', name)
end
return { { whole(removed), whole(#names) } }`,

  moment: `
local found = call('HMGET', P .. 'n', 'momentAt', 'momentDoubt')
if not found[1] then return {} end
return { found }`,

  write_moment: `
makesRoom()
call('HSET', P .. 'n', 'momentAt', arg(), 'momentDoubt', arg())
return {}`,

  open_lease: `
local name, milliseconds = arg(), arg()
makesRoom()
local token = whole(call('HINCRBY', P .. 'n', 'fence', 1)) .. '-' .. name
call('SET', P .. 'l:' .. token, '1', 'PX', milliseconds)
return { { token } }`,

  renew_lease: `
local token, milliseconds = arg(), arg()
local isKept = isAlive(token)
local isFull = not pcall(takesRoom)
makesRoom()
call('SET', P .. 'l:' .. token, '1', 'PX', milliseconds)
return { { isKept and 'kept' or 'lapsed', isFull and 'full' or '' } }`,

  end_lease: `
call('DEL', P .. 'l:' .. arg())
return {}`,
}
