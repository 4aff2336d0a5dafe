/** The tools that every client offers: one that works and one that throws. */
import { z } from 'zod'

export const failure = 'the barometer is broken'

export const weatherInput: z.ZodObject<{ city: z.ZodString }> = z.object({ city: z.string() })
export const emptyInput: z.ZodObject = z.object({})

const objectSchema = (properties: Record<string, object>) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** For clients that take definitions as JSON. */
export const definitions = [
  {
    name: 'get_weather',
    description: 'The weather in a city.',
    schema: objectSchema({ city: { type: 'string' } }),
  },
  { name: 'broken_tool', description: 'Never works.', schema: objectSchema({}) },
]

export interface Toolbox {
  readonly weather: (input: { city: string }) => Promise<string>
  readonly broken: () => Promise<string>
  /** For hand-written loops: the result of a call, or its error. */
  readonly run: (name: string, input: unknown) => Promise<{ text: string; failed: boolean }>
  /** The calls, in order. */
  readonly called: readonly string[]
}

export function createToolbox(): Toolbox {
  const called: string[] = []
  const box: Toolbox = {
    called,
    async weather({ city }) {
      called.push(`get_weather(${city})`)
      return report(city)
    },
    async broken() {
      called.push('broken_tool()')
      throw new Error(failure)
    },
    async run(name, input) {
      try {
        const text = await (name === 'get_weather' ? box.weather(weatherInput.parse(input)) : box.broken())
        return { text, failed: false }
      } catch (error) {
        return { text: String(error), failed: true }
      }
    },
  }
  return box
}

/** Differs by city, and contains characters that need escaping. */
export const report = (city: string): string =>
  `It rains in ${city} ("${city.toLowerCase()}", 40 % \\ wet) ☔`
