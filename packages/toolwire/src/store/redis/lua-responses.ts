/** Scripts for responses, and for reading items. They follow `lua-records.ts`, and return rows of texts. */
import type { ResponseProcedure } from '../shared/procedures.ts'

export const responseScripts: Readonly<Record<ResponseProcedure, string>> = {
  save_response: `
local now, trusted, maxRecords, maxBytes, token = number(), number(), number(), number(), arg()
local owner, id, created, expires, previous, conversation = arg(), arg(), arg(), arg(), optional(), optional()
local status, isFinished, joins = arg(), arg() == '1', arg() == '1'
local body, sum, bytes, newBytes, inputs = arg(), arg(), number(), number(), number()
local ids, texts, sums = list(), list(), list()
local ref = refOf(owner, 'response', id)
if call('EXISTS', P .. 'g:' .. owner .. '\\n' .. id) == 1 then return { { 'response_deleted' } } end
local existing = find(ref, now, 'joinedTo', 'joinedAfter', 'writer', 'taken', 'status', 'conversation')
if existing and (existing[5] or (existing[4] and existing[4] ~= token)) then return { { 'lease_lost' } } end
-- An end is final. Only an unfinished response has a writer.
if existing and not existing[4] and existing[6] ~= status then return { { 'lease_lost' } } end
local joinedTo, joinedAfter, join, joined
if conversation then
  join = refOf(owner, 'conversation', conversation)
  local found = find(join, now, 'number', 'bytes')
  -- One that began in it ends even if it is gone: as if it had been deleted just after the end.
  if not found then
    if not existing or existing[7] ~= conversation then return { { 'conversation_not_found' } } end
  elseif existing and existing[2] == found[2] then
    joinedTo, joinedAfter = existing[2], existing[3]
  else
    local twice = duplicate(join, ids, joins and #ids or isFinished and 0 or inputs)
    if twice then return { { 'duplicate_item', twice } } end
    if joins then
      if bytes + tonumber(found[3]) + newBytes > maxBytes then
        return { { 'too_large', whole(bytes + tonumber(found[3]) + newBytes) } }
      end
      joinedTo, joinedAfter = found[2], call('HGET', P .. 'n', 'position') or '0'
      joined = found
    end
  end
end
if bytes > maxBytes then return { { 'too_large', whole(bytes) } } end
takesRoom()
if existing then removeItems(ref) else remove(ref) end
touch(ref, bytes, expires)
local key = P .. 'r:' .. ref
call('HDEL', key, 'previous', 'conversation', 'joinedTo', 'joinedAfter', 'writer')
call('HSET', key, 'created', created, 'status', status, 'body', body, 'sum', sum, 'items', #ids)
if previous then call('HSET', key, 'previous', previous) end
if conversation then call('HSET', key, 'conversation', conversation) end
if joinedTo then call('HSET', key, 'joinedTo', joinedTo, 'joinedAfter', joinedAfter) end
if isFinished then
  call('HDEL', P .. 'u', ref)
  call('SREM', P .. 's:' .. token, owner .. '\\n' .. id)
else
  call('HSET', key, 'writer', token)
  call('HSET', P .. 'u', ref, token)
end
addItems(ref, 'input', ids, texts, sums, 1, inputs)
addItems(ref, 'output', ids, texts, sums, inputs + 1, #ids)
if joined then
  touch(join, tonumber(joined[3]) + newBytes, whole(math.max(tonumber(joined[1]), tonumber(expires))))
  call('HINCRBY', P .. 'r:' .. join, 'items', #ids)
  addItems(join, 'conversation', ids, texts, sums, 1, #ids)
end
trim(trusted, maxRecords, maxBytes, 200)
return { { 'ok' } }`,

  get_response: `
local now, owner, id = number(), arg(), arg()
local ref = refOf(owner, 'response', id)
local head = find(ref, now, 'created', 'previous', 'conversation', 'status', 'body', 'sum', 'items', 'writer')
if not head then return {} end
head[10] = head[9] and isAlive(head[9]) and '1' or '0'
return readItems(ref, call('ZRANGE', P .. 'o:' .. ref, 0, -1), { head })`,

  fail_response: `
local owner, id, writer, body, sum, bytes, isClosing = arg(), arg(), arg(), arg(), arg(), number(), arg() == '1'
local ref = refOf(owner, 'response', id)
local key = P .. 'r:' .. ref
if call('HGET', key, 'writer') ~= writer or not isClosing and isAlive(writer) then return {} end
local before = tonumber(call('HGET', key, 'bytes'))
makesRoom()
call('HSET', key, 'status', 'failed', 'body', body, 'sum', sum, 'bytes', whole(before + bytes), 'taken', writer)
call('HINCRBY', P .. 'n', 'bytes', whole(bytes))
call('ZINCRBY', P .. 'shares:bytes', whole(-bytes), owner)
call('HDEL', key, 'writer')
call('HDEL', P .. 'u', ref)
stop(writer, owner, id)
return { { 'ok' } }`,

  unfinished: `
local token, rows, alive = optional(), {}, {}
local writers = call('HGETALL', P .. 'u')
for i = 1, #writers, 2 do
  local ref, writer = writers[i], writers[i + 1]
  if alive[writer] == nil then alive[writer] = isAlive(writer) end
  if writer == token or not token and not alive[writer] then
    local owner, id = string.match(ref, '^([^\\n]*)\\nresponse\\n(.*)$')
    rows[#rows + 1] = { owner, id }
  end
end
return rows`,

  delete_record: `
local now, kind, owner, id = number(), arg(), arg(), arg()
local ref = refOf(owner, kind, id)
local found = find(ref, now, 'writer')
if not found then return {} end
makesRoom()
if kind == 'response' then
  call('SET', P .. 'g:' .. owner .. '\\n' .. id, '1', 'EX', day)
  if found[2] then stop(found[2], owner, id) end
end
remove(ref)
return { { 'ok' } }`,

  request_cancel: `
local now, owner, id = number(), arg(), arg()
local found = find(refOf(owner, 'response', id), now, 'writer')
if not found or not found[2] then return {} end
makesRoom()
stop(found[2], owner, id)
return { { 'ok' } }`,

  to_stop: `
local now, token, rows = number(), arg(), {}
for _, key in ipairs(call('SMEMBERS', P .. 's:' .. token)) do
  local owner, id = string.match(key, '^([^\\n]*)\\n(.*)$')
  local found = find(refOf(owner, 'response', id), now, 'writer', 'taken')
  local isOurs = found and (found[2] == token or found[3] == token)
  if isOurs or call('EXISTS', P .. 'g:' .. key) == 1 then rows[#rows + 1] = { owner, id } end
end
return rows`,

  context: `
local now, owner, id = number(), arg(), arg()
local chain, seen, next, first = {}, {}, id, nil
while next do
  local ref = refOf(owner, 'response', next)
  local head = not seen[ref] and find(ref, now, 'previous', 'items', 'conversation', 'joinedTo', 'joinedAfter')
  if not head then return {} end
  seen[ref] = true
  chain[#chain + 1] = { ref, next, head[3] }
  next, first = head[2], head
end
local rows = {}
if first[4] then
  local ref = refOf(owner, 'conversation', first[4])
  local found = find(ref, now, 'number', 'items')
  if not found or found[2] ~= first[5] then return {} end
  local after = call('ZCOUNT', P .. 'o:' .. ref, '(' .. first[6], '+inf')
  rows[1] = { 'record', first[4], whole(tonumber(found[3]) - after) }
  readItems(ref, call('ZRANGEBYSCORE', P .. 'o:' .. ref, '-inf', first[6]), rows)
end
for i = #chain, 1, -1 do
  rows[#rows + 1] = { 'record', chain[i][2], chain[i][3] }
  readItems(chain[i][1], call('ZRANGE', P .. 'o:' .. chain[i][1], 0, -1), rows)
end
return rows`,

  get_items: `
local now, owner, rows = number(), arg(), {}
for _, id in ipairs(list()) do
  local position, ref = newest(owner, id, now)
  if position then
    local sum, text = splitItem(call('HGET', P .. 'i:' .. ref, position))
    rows[#rows + 1] = { 'item', id, text, sum }
  end
end
return rows`,

  weigh_response: `
local now, owner, id = number(), arg(), arg()
local found = find(refOf(owner, 'response', id), now, 'bytes')
return { { found and found[2] or '0' } }`,

  weigh_context: `
local now, owner, next = number(), arg(), arg()
local bytes, seen, first = 0, {}, nil
while next do
  local head = not seen[next] and find(refOf(owner, 'response', next), now, 'previous', 'bytes', 'conversation')
  if not head then return { { '0' } } end
  seen[next] = true
  bytes = bytes + tonumber(head[3])
  next, first = head[2], head
end
local found = first[4] and find(refOf(owner, 'conversation', first[4]), now, 'bytes')
return { { whole(bytes + (found and tonumber(found[2]) or 0)) } }`,

  weigh_items: `
local now, owner, rows = number(), arg(), {}
for _, id in ipairs(list()) do
  local position, ref = newest(owner, id, now)
  if position then rows[#rows + 1] = { id, whole(call('HSTRLEN', P .. 'i:' .. ref, position)) } end
end
return rows`,
}
