import { Alert, Badge, Button, PasswordInput, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { Panel } from '../components/panel.tsx'
import type { ApiOperation } from './document.ts'
import { filledPath } from './samples.ts'

interface Tried {
  status: number
  headers: string
  text: string
}

/** The key stays in the memory of this page, for the next operation too. */
let typedKey = ''

/** Sends the operation to this gateway: with the dashboard's session, or with a key typed here. */
export function TryPanel({ operation }: { operation: ApiOperation }) {
  const { parameters, body, auth, isHere } = operation
  const [key, setKey] = useState(typedKey)
  const [values, setValues] = useState<Record<string, string>>(() => initialValues(operation))
  const [text, setText] = useState(() => JSON.stringify(body?.example ?? {}, null, 2))
  const [tried, setTried] = useState<Tried | string | null>(null)
  const [isBusy, setBusy] = useState(false)
  if (!isHere) {
    return (
      <Panel title="Try it">
        <Text size="sm">Calls use another port, so they can’t be tried from this page. Use the sample above.</Text>
      </Panel>
    )
  }
  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setTried(null)
    try {
      await send(operation, { key, values, text }, setTried)
    } catch (error) {
      setTried(error instanceof SyntaxError ? 'The body is not valid JSON.' : 'The gateway does not answer.')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Panel title="Try it" description={auth === 'gateway' ? 'A real call, billed to the key.' : undefined}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {auth !== 'none' && (
            <PasswordInput
              label={auth === 'gateway' ? 'Gateway key' : 'Admin key'}
              description={auth === 'gateway' ? undefined : 'Leave empty to use your dashboard session.'}
              value={key}
              onChange={({ currentTarget }) => {
                typedKey = currentTarget.value
                setKey(currentTarget.value)
              }}
              autoComplete="off"
              required={auth === 'gateway'}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
            />
          )}
          {parameters.map(({ name, in: place, required = false }) => (
            <TextInput
              key={`${place} ${name}`}
              label={name}
              required={required}
              value={values[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setValues((all) => ({ ...all, [name]: value }))}
            />
          ))}
          {body !== null && (
            <Textarea
              label="Request body"
              autosize
              minRows={4}
              maxRows={18}
              classNames={{ input: 'mono' }}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
          <Button type="submit" loading={isBusy}>
            Send
          </Button>
          <Outcome tried={tried} />
        </Stack>
      </form>
    </Panel>
  )
}

function Outcome({ tried }: { tried: Tried | string | null }) {
  if (tried === null) return null
  if (typeof tried === 'string') return <Alert color="red">{tried}</Alert>
  const { status, headers, text } = tried
  return (
    <Stack gap="xs" aria-live="polite">
      <div>
        <Badge color={status < 300 ? 'teal' : 'red'}>{status}</Badge>
      </div>
      <CodeBlock label="Response" code={text} />
      <details>
        <summary>Headers</summary>
        <CodeBlock label="Response headers" code={headers} />
      </details>
    </Stack>
  )
}

function initialValues({ parameters }: ApiOperation): Record<string, string> {
  return Object.fromEntries(
    parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, String(example)]])),
  )
}

interface Given {
  key: string
  values: Readonly<Record<string, string>>
  text: string
}

/** Reports again while a stream arrives. */
async function send(
  operation: ApiOperation,
  { key, values, text }: Given,
  report: (tried: Tried) => void,
): Promise<void> {
  const { method, parameters, body } = operation
  const given = parameters.flatMap(({ name, in: place }) =>
    values[name] ? [{ place, name, value: values[name] }] : [],
  )
  const only = (wanted: string) =>
    given.flatMap(({ place, name, value }) => (place === wanted ? [[name, value] as [string, string]] : []))
  const query = new URLSearchParams(only('query')).toString()
  const response = await fetch(`${filledPath(operation, values)}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: {
      ...Object.fromEntries(only('header')),
      // Changes with the dashboard's session need it.
      'x-switchyard-dashboard': '1',
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    ...(body !== null && { body: JSON.stringify(JSON.parse(text)) }),
  })
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let arrived = ''
  for (let piece = await pieces?.read(); piece?.done === false; piece = await pieces?.read()) {
    arrived += piece.value
    report({ status: response.status, headers, text: arrived })
  }
  report({ status: response.status, headers, text: pretty(arrived) })
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
