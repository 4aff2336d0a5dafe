/** The functions that change a conversation keep it from whoever makes room, until they end. */
import { conversationFunctions } from './conversation-functions.ts'

const lock = `
CREATE OR REPLACE FUNCTION $s.lock_conversation(p_now bigint, p_owner text, p_id text) RETURNS $s.records LANGUAGE sql AS $$
  SELECT * FROM $s.records WHERE owner = p_owner AND kind = 'conversation' AND id = p_id AND expires > p_now FOR UPDATE;
$$;
`

/** The same as before, but for what they find a conversation with. */
const changing = conversationFunctions
  .split(/(?=CREATE FUNCTION)/)
  .filter(text => /^CREATE FUNCTION \$s\.(?:update_conversation|append_items|delete_item)\(/.test(text))
  .map(text => text.replace('CREATE', 'CREATE OR REPLACE').replace('find_conversation', 'lock_conversation'))

export const lockedConversations: string = [lock, ...changing].join('\n')
