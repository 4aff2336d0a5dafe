/** A configuration that cannot be used, with all its problems and their locations. */

import type { Problem } from './check-shape.ts'

export interface LocatedProblem extends Omit<Problem, 'path'> {
  /** The setting it is about. */
  readonly path?: Problem['path']
  /** The file, with line and column where known; flags and variables have none. */
  readonly where?: string
  /** The lines around the problem. */
  readonly frame?: string
}

export class ConfigError extends Error {
  readonly problems: readonly LocatedProblem[]

  constructor(problems: readonly LocatedProblem[]) {
    super(problems.map(lineOf).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export function lineOf({ where, message, remedy }: LocatedProblem): string {
  return `${where === undefined ? '' : `${where}: `}${message}${remedy === undefined ? '' : ` ${remedy}`}`
}
