/** What a diagnostic code means, in words for the person who meets it. */
export interface Explanation {
  readonly title: string
  readonly explanation: string
  readonly remedy: string
}
