/** One thing that was looked at, and what was found. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  readonly remedy?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message })

export const warning = (name: string, message: string, remedy?: string): Check => ({
  name,
  status: 'warning',
  message,
  ...(remedy !== undefined && { remedy }),
})

export const problem = (name: string, message: string, remedy?: string): Check => ({
  name,
  status: 'problem',
  message,
  ...(remedy !== undefined && { remedy }),
})
