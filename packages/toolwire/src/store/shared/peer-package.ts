/** Loads the client of a server, which only those have installed who use that server. */
import { StoreError } from '../store-error.ts'

export async function loadPeer<T>(name: string, what: string): Promise<T> {
  try {
    // The name is not literal, so that neither compilers nor bundlers look for a package that most do not have.
    return (await import(name)) as T
  } catch (cause) {
    throw new StoreError(
      'no_driver',
      `A store in ${what} needs the package ${name}, which is not installed. Run "npm install ${name}" beside toolwire.`,
      { cause },
    )
  }
}
