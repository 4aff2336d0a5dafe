import { render } from 'preact'
import './style/tokens.css'
import './style/frame.css'
import './style/list.css'
import './style/detail.css'
import './style/raw.css'
import './style/wires.css'
import './style/timeline.css'
import './style/context.css'
import './style/pages.css'
import { connect } from './state/app.ts'
import { App } from './views/app.tsx'

const root = document.getElementById('app')
// What was painted before the script has run.
root?.replaceChildren()
if (root !== null) render(<App />, root)
void connect()
