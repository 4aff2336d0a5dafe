/** Where one is on the page, as the part of the address behind `#`, so that every view has a link. */

export const tabs = ['conversation', 'wires', 'raw', 'timeline', 'context'] as const
export type Tab = (typeof tabs)[number]

export type Place =
  | { readonly page: 'list' }
  | { readonly page: 'exchange'; readonly id: string; readonly tab: Tab }
  | { readonly page: 'compare'; readonly a: string; readonly b: string }
  | { readonly page: 'playground'; readonly from?: string | undefined }
  | { readonly page: 'health' }

export interface Route {
  readonly place: Place
  readonly filter: string
  readonly flat: boolean
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const given = new URLSearchParams(query)
  const [page, first = '', second = ''] = path.split('/').map(decode)
  return { place: placeOf(page, first, second), filter: given.get('q') ?? '', flat: given.has('flat') }
}

function placeOf(page: string | undefined, first: string, second: string): Place {
  if (page === 'x' && first !== '') {
    return { page: 'exchange', id: first, tab: tabs.find(tab => tab === second) ?? 'conversation' }
  }
  if (page === 'compare' && first !== '' && second !== '') return { page, a: first, b: second }
  if (page === 'playground') return { page, from: first === '' ? undefined : first }
  return page === 'health' ? { page } : { page: 'list' }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function writeRoute({ place, filter, flat }: Route): string {
  const path = pathOf(place).map(encodeURIComponent).join('/')
  const query = new URLSearchParams()
  if (filter !== '') query.set('q', filter)
  if (flat) query.set('flat', '')
  const text = query.toString().replace(/=$/, '')
  return `#/${path}${text === '' ? '' : `?${text}`}`
}

function pathOf(place: Place): string[] {
  switch (place.page) {
    case 'list':
      return []
    case 'exchange':
      return ['x', place.id, place.tab]
    case 'compare':
      return ['compare', place.a, place.b]
    case 'playground':
      return place.from === undefined ? ['playground'] : ['playground', place.from]
    case 'health':
      return ['health']
  }
}
