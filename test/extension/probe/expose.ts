/** What the page and the service worker of the probe load: the functions, where the debugger finds them. */
import { probe } from './probe.ts'

Object.assign(globalThis, { probe })
