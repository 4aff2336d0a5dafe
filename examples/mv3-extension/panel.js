/** The side panel: asks the service worker, shows what it is told, and counts what the conversation weighs. */
import { encodeTools } from '@toolwire/core'
import { countRequest, loadCounter } from '@toolwire/core/tokens'
import { tools } from './tools.js'
import { gateway } from './wires.js'

const find = id => document.getElementById(id)
const [form, question, send, status, talk, welcome] = [
  find('form'),
  find('question'),
  find('send'),
  find('status'),
  find('talk'),
  find('welcome'),
]

/** Open while an answer is under way. */
let port
let isFirst = true

const wire = () => new FormData(form).get('wire')

function ask(text) {
  welcome.hidden = true
  show('user', text)
  port = chrome.runtime.connect()
  port.onMessage.addListener(hear)
  // The worker closes it when all is said, and it closes with the worker if that fails.
  port.onDisconnect.addListener(rest)
  port.postMessage({ text, wire: wire(), isFirst })
  isFirst = false
  form.dataset.state = 'busy'
  send.ariaLabel = 'Stop'
}

function rest() {
  port = undefined
  form.dataset.state = 'ready'
  send.ariaLabel = 'Send'
}

function hear(message) {
  if (message.type === 'text') {
    const last = talk.lastElementChild
    const bubble = last.className === 'model' ? last : show('model')
    bubble.append(message.text)
  }
  if (message.type === 'call') callCard(message).dataset.status = 'running'
  if (message.type === 'result') {
    // A call that could not be run was never announced.
    const card = talk.querySelector(`[data-call="${CSS.escape(message.id)}"]`) ?? callCard(message)
    card.dataset.status = message.status
    card.querySelector('pre').textContent = message.text
  }
  if (message.type === 'finished') finish(message)
  talk.scrollTop = talk.scrollHeight
}

function finish({ reason, error, request }) {
  if (error !== undefined)
    show(
      'failure',
      `${error}\nDoes the gateway run at ${gateway}, with toolwire.config.json of this example?`,
    )
  else if (reason !== 'answer') show('failure', `The conversation stopped: ${reason}.`)
  weigh(request)
}

/** The vocabulary weighs megabytes, and is loaded when it is first needed. */
async function weigh(request) {
  const counter = await loadCounter('o200k_base')
  const body = { ...request, tools: encodeTools(tools, { to: wire() }).value }
  const { total } = countRequest(body, { wire: wire(), counter })
  status.textContent = `${tools.size} tools and this conversation: about ${total} tokens`
}

function show(kind, text = '') {
  const element = document.createElement('div')
  element.className = kind
  element.append(text)
  talk.append(element)
  return element
}

function callCard({ id, name, args }) {
  const card = document.createElement('details')
  card.className = 'call'
  card.dataset.call = id
  const summary = document.createElement('summary')
  const title = document.createElement('b')
  title.append(name)
  const given = document.createElement('code')
  given.append(
    Object.entries(args ?? {})
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join(', '),
  )
  summary.append(title, given)
  card.append(summary, document.createElement('pre'))
  talk.append(card)
  return card
}

form.addEventListener('submit', event => {
  event.preventDefault()
  if (port !== undefined) {
    port.disconnect()
    return rest()
  }
  const text = question.value.trim()
  if (text === '') return
  question.value = ''
  ask(text)
})

question.addEventListener('keydown', event => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  if (port === undefined) form.requestSubmit()
})

/** A conversation stays on the wire it began on. */
function startOver() {
  port?.disconnect()
  rest()
  isFirst = true
  status.textContent = ''
  welcome.hidden = false
  talk.replaceChildren(welcome)
}

find('wires').addEventListener('change', startOver)
find('start-over').addEventListener('click', startOver)
for (const button of welcome.querySelectorAll('button'))
  button.addEventListener('click', () => ask(button.textContent))

question.focus()
