/** The three wires. Which is which matters only inside `codecs/`; everything else reads profiles. */
export type Wire = 'chat' | 'responses' | 'messages'

export const wires: readonly Wire[] = ['chat', 'responses', 'messages']
