/** One text for a tool's kind, name and namespace, and no other text for the same three. */
export function callableKey(kind: string, name: string, namespace?: string): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind}/${name.length}/${name}${namespace}`
}
