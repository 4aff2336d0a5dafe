/** A web search as an ordinary function. */
import type { Emulation } from '../../model/tool.ts'

export const webSearchEmulation = (): Emulation => ({
  name: 'web_search',
  description: 'Search the web for information',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The search query' } },
    required: ['query'],
  },
})
