import type { Envelope, HttpMessage } from './webhook.ts'
import { line, TEST_TEXT } from './words.ts'

/** For an incoming webhook (docs.slack.dev, "Sending messages using incoming webhooks"). */
export function slackMessage(url: string, { events, isTest }: Envelope): HttpMessage {
  const text = isTest ? TEST_TEXT : events.map((event) => `${mark(event.state)} ${escaped(line(event))}`).join('\n')
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) }
}

function mark(state: 'firing' | 'resolved'): string {
  return state === 'firing' ? ':rotating_light:' : ':white_check_mark:'
}

/** These three are control characters of its text format. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
