const QUESTIONS = [
  'Name three things a switchyard does.',
  'Summarise the last meeting in one sentence.',
  'Translate "good morning" into Norwegian.',
  'Write a haiku about queues.',
  'What is the capital of Iceland?',
]
const MODELS = ['fast', 'fast', 'fast', 'smart', 'resilient', 'local', 'claude-haiku-5-5', 'gpt-6-luna']
const PAUSE_MS = 700

export interface Traffic {
  stop(): Promise<void>
}

/** About one call a second, so that there is something to see. */
export function startTraffic(url: string, key: string): Traffic {
  const controller = new AbortController()
  const running = (async () => {
    for (let turn = 0; !controller.signal.aborted; turn++) {
      await ask(url, key, turn, controller.signal)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })()
  return {
    stop() {
      controller.abort()
      return running
    },
  }
}

async function ask(url: string, key: string, turn: number, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({
    model: MODELS[turn % MODELS.length],
    messages: [{ role: 'user', content: QUESTIONS[turn % QUESTIONS.length] }],
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  try {
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body, signal })
    await response.arrayBuffer()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
