/** Every text of an exchange has a mark with its owner, so that a text in the wrong hands is found. */

const marks = /@(\d+)\.\d+@/g

/** The marks of other owners in a text. */
export function foreignMarks(owner: number, text: string): string[] {
  return [...new Set([...text.matchAll(marks)].flatMap(([mark, by]) => (Number(by) === owner ? [] : [mark])))]
}
