/** Words made comparable: no case, no accents, no endings, and a few that mean the same made the same. */

const particles = `a an the and or but if then else so to of in on at by for from with without about into over under near
 is are was were be been being am do does did done have has had having will would can could should shall may might must
 i me my mine we us our you your he him his she her it its they them their this that these those there here
 what which who whom whose when where why how please thanks thank hello hi hey ok okay yes no not just also too both
 each all any some more most other than as up out off again now today tomorrow yesterday want wants need needs like
 let lets tell give know use using used via per one two get gets got s t m re ve ll d
 tool tools function call calls given long much many return returns value values optional current`

/** Words that say nothing about what is asked. */
const stopWords: ReadonlySet<string> = new Set(particles.split(/\s+/))

const sameMeaning: readonly (readonly string[])[] = [
  ['weather', 'forecast', 'temperature', 'rain', 'raining', 'sunny', 'climate'],
  ['search', 'find', 'lookup', 'look', 'query', 'seek'],
  ['time', 'clock'],
  ['add', 'sum', 'plus', 'total'],
  ['subtract', 'minus'],
  ['multiply', 'times', 'product'],
  ['divide', 'divided'],
  ['calculate', 'calculator', 'compute', 'calc', 'math', 'arithmetic', 'evaluate'],
  ['mail', 'email'],
  ['delete', 'remove'],
  ['create', 'make', 'new'],
  ['run', 'execute', 'exec'],
  ['shell', 'bash', 'terminal', 'command', 'cmd'],
  ['read', 'open', 'view'],
  ['translate', 'translation', 'translator'],
  ['document', 'docs', 'doc', 'documentation'],
  ['photo', 'image', 'picture'],
  ['stock', 'share', 'ticker'],
]

const commandVerbs =
  `add answer ask book buy calculate call change check compare compute convert create delete describe
 do draw explain fetch find generate get give list look make multiply open plan play print read remind remove rename run
 save say schedule search send set show start stop subtract sum summarize tell translate update use view write order
 reserve divide count sort wait apply fix edit` as const

/** Words that begin an order; one at the head of a sentence is no name, for all its capital letter. */
const verbs: ReadonlySet<string> = new Set(commandVerbs.split(/\s+/))

const meanings: ReadonlyMap<string, string> = new Map(
  sameMeaning.flatMap(group => group.map(word => [stem(word), stem(group[0] ?? word)] as const)),
)

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace(/['’].*$/, ''))
}

export function isCommandVerb(word: string): boolean {
  return verbs.has(word.toLowerCase())
}

/** What two words with the same meaning have in common. */
export function meaningOf(word: string): string {
  const root = stem(plain(word))
  return meanings.get(root) ?? root
}

function plain(word: string): string {
  const lower = word.toLowerCase()
  // Most words by far; the rest of the way is long.
  if (/^[a-z0-9]*$/.test(lower)) return lower
  return lower
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]s?$/, '')
}

function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3)
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2)
  if (word.length > 4 && /(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1)
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word
}

const counting: ReadonlySet<string> = new Set(
  'limit count n max top number result amount quantity first last size page item'.split(' ').map(meaningOf),
)

/** Whether a word, by meaning, says how many of something. */
export function isCounting(meaning: string): boolean {
  return counting.has(meaning)
}

const part = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}|\p{N}+/gu

/** The words of a name or of prose: `getWeather`, `get_weather` and `get weather` have the same ones. */
export function wordsIn(text: string, most: number): string[] {
  const words: string[] = []
  for (const [word] of text.matchAll(part)) {
    words.push(word.toLowerCase())
    if (words.length === most) break
  }
  return words
}
