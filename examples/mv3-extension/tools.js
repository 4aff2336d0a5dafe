/** What the model may do in the browser: defined once, for every wire. */
import { defineTool, ToolRegistry } from '@toolwire/core'

async function readNotes() {
  const { notes = [] } = await chrome.storage.local.get('notes')
  return notes
}

export const tools = new ToolRegistry([
  defineTool({
    name: 'get_time',
    description: 'The time of day in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    handler: ({ city }) => {
      const ending = `/${city.trim().replaceAll(' ', '_')}`.toLowerCase()
      const timeZone = Intl.supportedValuesOf('timeZone').find(zone => zone.toLowerCase().endsWith(ending))
      if (timeZone === undefined) throw new Error(`No time zone is named after ${city}; try the capital.`)
      const time = new Date().toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' })
      return { time, timeZone }
    },
  }),
  defineTool({
    name: 'list_tabs',
    description: 'The titles and addresses of the open tabs',
    handler: async () => {
      const tabs = await chrome.tabs.query({})
      return { tabs: tabs.map(({ title, url }) => ({ title, url })) }
    },
  }),
  defineTool({
    name: 'save_note',
    description: 'Keeps a note',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The words of the note', pattern: '\\S' } },
      required: ['text'],
    },
    // It reads and then writes, so that two at once would lose one.
    parallel: false,
    handler: async ({ text }) => {
      const notes = [...(await readNotes()), text]
      await chrome.storage.local.set({ notes })
      return { saved: text, count: notes.length }
    },
  }),
  defineTool({
    name: 'show_notes',
    description: 'All notes that were kept',
    handler: async () => ({ notes: await readNotes() }),
  }),
])
