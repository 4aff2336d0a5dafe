/** Scripts for conversations. They follow `lua-records.ts`, and return rows of texts. */
import type { ConversationProcedure } from '../shared/procedures.ts'

const page = `
local now, owner, id, after, limit, order = number(), arg(), arg(), optional(), number(), arg()
local ref = refOf(owner, 'conversation', id)
local found = find(ref, now, 'items')
if not found then return {} end
local cursor = after and positionIn(ref, after)
local function places()
  local key = P .. 'o:' .. ref
  if order == 'asc' then
    return call('ZRANGEBYSCORE', key, cursor and '(' .. cursor or '-inf', '+inf', 'LIMIT', 0, limit)
  end
  return call('ZREVRANGEBYSCORE', key, cursor and '(' .. cursor or '+inf', '-inf', 'LIMIT', 0, limit)
end`

export const conversationScripts: Readonly<Record<ConversationProcedure, string>> = {
  create_conversation: `
local now, trusted, maxRecords, maxBytes = number(), number(), number(), number()
local owner, id, created, expires, metadata, sum, bytes = arg(), arg(), arg(), arg(), arg(), arg(), number()
local ids, texts, sums = list(), list(), list()
local ref = refOf(owner, 'conversation', id)
if find(ref, now) then return { { 'already_exists' } } end
local seen = {}
for _, item in ipairs(ids) do
  if seen[item] then return { { 'duplicate_item', item } } end
  seen[item] = true
end
if bytes > maxBytes then return { { 'too_large', whole(bytes) } } end
takesRoom()
remove(ref)
touch(ref, bytes, expires)
call('HSET', P .. 'r:' .. ref, 'number', call('HINCRBY', P .. 'n', 'number', 1), 'created', created,
  'body', metadata, 'sum', sum, 'items', #ids)
addItems(ref, 'conversation', ids, texts, sums, 1, #ids)
trim(trusted, maxRecords, maxBytes, 200)
return { { 'ok' } }`,

  get_conversation: `
local now, owner, id = number(), arg(), arg()
local found = find(refOf(owner, 'conversation', id), now, 'created', 'body', 'sum')
return { found }`,

  update_conversation: `
local now, trusted, maxRecords, maxBytes = number(), number(), number(), number()
local owner, id, isNew, metadata, sum, expires = arg(), arg(), arg() == '1', arg(), arg(), optional()
local ref = refOf(owner, 'conversation', id)
local found = find(ref, now, 'bytes')
if not found then return {} end
local bytes = tonumber(found[2])
if isNew then bytes = bytes + #metadata - call('HSTRLEN', P .. 'r:' .. ref, 'body') end
if bytes > maxBytes then return { { 'too_large', whole(bytes) } } end
touch(ref, bytes, expires or found[1])
if isNew then call('HSET', P .. 'r:' .. ref, 'body', metadata, 'sum', sum) end
trim(trusted, maxRecords, maxBytes, 200)
return { { 'ok' } }`,

  append_items: `
local now, trusted, maxRecords, maxBytes = number(), number(), number(), number()
local owner, id, grown, ids, texts, sums = arg(), arg(), number(), list(), list(), list()
local ref = refOf(owner, 'conversation', id)
local found = find(ref, now, 'bytes')
if not found then return {} end
local twice = duplicate(ref, ids, #ids)
if twice then return { { 'duplicate_item', twice } } end
local bytes = tonumber(found[2]) + grown
if bytes > maxBytes then return { { 'too_large', whole(bytes) } } end
touch(ref, bytes, found[1])
call('HINCRBY', P .. 'r:' .. ref, 'items', #ids)
addItems(ref, 'conversation', ids, texts, sums, 1, #ids)
trim(trusted, maxRecords, maxBytes, 200)
return { { 'ok' } }`,

  list_items: `${page}
if after and not cursor then return { { 'unknown_cursor' } } end
local head = { 'page', found[2], whole(call('ZCARD', P .. 'o:' .. ref)) }
return readItems(ref, places(), { head })`,

  weigh_page: `${page}
local bytes = 0
for _, place in ipairs(places()) do
  bytes = bytes + call('HSTRLEN', P .. 'i:' .. ref, (splitPlace(place)))
end
return { { whole(bytes) } }`,

  get_item: `
local now, owner, conversation, id = number(), arg(), arg(), arg()
local ref = refOf(owner, 'conversation', conversation)
local position = find(ref, now) and positionIn(ref, id)
if not position then return {} end
local sum, text = splitItem(call('HGET', P .. 'i:' .. ref, position))
return { { 'item', id, text, sum } }`,

  delete_item: `
local now, owner, conversation, id = number(), arg(), arg(), arg()
local ref = refOf(owner, 'conversation', conversation)
local found = find(ref, now, 'bytes')
local position = found and positionIn(ref, id)
if not position then return {} end
local _, text = splitItem(call('HGET', P .. 'i:' .. ref, position))
makesRoom()
touch(ref, tonumber(found[2]) - #text - #id, found[1])
call('HINCRBY', P .. 'r:' .. ref, 'items', -1)
call('ZREMRANGEBYSCORE', P .. 'o:' .. ref, position, position)
call('HDEL', P .. 'i:' .. ref, position)
call('ZREM', P .. 'h:' .. owner .. '\\n' .. id, position .. ' ' .. ref)
return { { 'ok' } }`,
}
