/** CPU time and memory of any process and its children, as Linux tells them. Elsewhere the figures are missing. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const read = path => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const list = path => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** The process and all that it has started. @param {number} pid @returns {number[]} */
export function processTree(pid) {
  // Not every kernel lists the children of a task.
  const children = list('/proc')
    .filter(name => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number)
  return [pid, ...children.flatMap(processTree)]
}

const parentOf = pid => Number((read(`/proc/${pid}/stat`) ?? '').split(') ')[1]?.split(' ')[1])

/** CPU time so far of all threads, in milliseconds. @param {readonly number[]} pids */
export function cpuMs(pids) {
  let nanoseconds = 0
  for (const pid of pids) {
    for (const task of list(`/proc/${pid}/task`)) {
      nanoseconds += Number((read(`/proc/${pid}/task/${task}/schedstat`) ?? '0').split(' ')[0])
    }
  }
  return nanoseconds / 1e6
}

const kilobytes = (pid, field) => {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`) ?? '')
  return match === null ? 0 : Number(match[1])
}

const sum = numbers => numbers.reduce((a, b) => a + b, 0)

/** Resident memory now and at its peak, in megabytes. @param {readonly number[]} pids */
export function memoryMb(pids) {
  return {
    now: sum(pids.map(pid => kilobytes(pid, 'VmRSS'))) / 1024,
    peak: sum(pids.map(pid => kilobytes(pid, 'VmHWM'))) / 1024,
  }
}

/** From here on the peak is counted anew. @param {readonly number[]} pids */
export function forgetPeak(pids) {
  for (const pid of pids) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
    } catch {
      // Then the peak is that of the whole life of the process.
    }
  }
}
