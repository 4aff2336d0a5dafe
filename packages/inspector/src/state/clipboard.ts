/** Copies and downloads. */
import { tell } from './app.ts'

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Browsers give the clipboard to secure addresses only; a gateway elsewhere is reached over plain HTTP.
    const area = document.createElement('textarea')
    area.value = text
    // What is behind a dialog cannot be selected.
    const parent = document.querySelector('dialog[open]') ?? document.body
    const focused = document.activeElement
    parent.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
  tell(`Copied the ${what}.`)
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
