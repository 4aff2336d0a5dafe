/** Exposes the probe's functions as a global of the page and the service worker, for the debugger. */
import { probe } from './probe.ts'

Object.assign(globalThis, { probe })
