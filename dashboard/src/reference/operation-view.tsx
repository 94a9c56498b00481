import { Badge, Code, SegmentedControl, Stack, Tabs, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { callOrigin } from '../api/call-origin.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { LANGUAGES, type Language } from '../format/code-values.ts'
import type { Answer, ApiDocument, ApiOperation } from './document.ts'
import { Prose } from './prose.tsx'
import classes from './reference.module.css'
import { sample } from './samples.ts'
import { FieldList, ParameterList } from './schema-view.tsx'
import { TryPanel } from './try-panel.tsx'

type Schemas = ApiDocument['schemas']

const NEEDS = {
  gateway: 'Needs a gateway key',
  admin: 'Needs an admin key or a dashboard session',
  none: 'Needs no key',
} as const

/** Everything about one operation: fields on the left, code, examples and a form to try it on the right. */
export function OperationView({ operation, schemas }: { operation: ApiOperation; schemas: Schemas }) {
  const { method, path, summary, description, auth } = operation
  return (
    <article aria-labelledby="operation">
      <Title order={1} id="operation">
        {summary}
      </Title>
      <div className={classes['address']}>
        <Code className={classes['method'] ?? ''} data-method={method}>
          {method}
        </Code>
        <span className="mono">{path}</span>
        <Badge color="gray">{NEEDS[auth]}</Badge>
      </div>
      {description !== '' && (
        <Text mb="md">
          <Prose>{description}</Prose>
        </Text>
      )}
      <div className={classes['columns']}>
        <Stack gap="lg" miw={0}>
          <Fields operation={operation} schemas={schemas} />
          <Answers answers={operation.answers} schemas={schemas} />
        </Stack>
        <Stack gap="md" miw={0} className={classes['aside'] ?? ''}>
          <Samples operation={operation} />
          <TryPanel operation={operation} />
        </Stack>
      </div>
    </article>
  )
}

function Fields({
  operation: { parameters, body, bodyNotes },
  schemas,
}: {
  operation: ApiOperation
  schemas: Schemas
}) {
  return (
    <>
      {parameters.length > 0 && (
        <section aria-label="Parameters">
          <Title order={2}>Parameters</Title>
          <ParameterList parameters={parameters} schemas={schemas} />
        </section>
      )}
      {body?.schema !== undefined && (
        <section aria-label="Request body">
          <Title order={2}>Request body</Title>
          {bodyNotes !== '' && (
            <Text size="sm">
              <Prose>{bodyNotes}</Prose>
            </Text>
          )}
          <FieldList schema={body.schema} schemas={schemas} />
        </section>
      )}
    </>
  )
}

function Answers({ answers, schemas }: { answers: readonly Answer[]; schemas: Schemas }) {
  const [first] = answers
  const [chosen, setChosen] = useState(first?.status ?? '')
  return (
    <section aria-label="Responses">
      <Title order={2}>Responses</Title>
      <Tabs value={chosen} onChange={(value) => setChosen(value ?? '')} keepMounted={false}>
        <Tabs.List aria-label="Status">
          {answers.map(({ status }) => (
            <Tabs.Tab key={status} value={status}>
              {status === 'default' ? 'Errors' : status}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {answers.map((answer) => (
          <Tabs.Panel key={answer.status} value={answer.status} pt="sm">
            <AnswerView answer={answer} schemas={schemas} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  )
}

function AnswerView({ answer: { description, media, headers }, schemas }: { answer: Answer; schemas: Schemas }) {
  const { schema, example } = media ?? {}
  return (
    <Stack gap="sm">
      {description.split('\n\n').map((paragraph) => (
        <Text key={paragraph} size="sm">
          <Prose>{paragraph}</Prose>
        </Text>
      ))}
      {example !== undefined && (
        <CodeBlock label="Example" code={typeof example === 'string' ? example : JSON.stringify(example, null, 2)} />
      )}
      {schema !== undefined && <FieldList schema={schema} schemas={schemas} />}
      {headers.length > 0 && (
        <details className={classes['more']}>
          <summary>Headers ({headers.length})</summary>
          <dl className={classes['fields']}>
            {headers.map(({ name, description: text }) => (
              <div key={name}>
                <dt className="mono">{name}</dt>
                <dd>
                  <Prose>{text}</Prose>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Stack>
  )
}

function Samples({ operation }: { operation: ApiOperation }) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <section aria-label="Code sample">
      <SegmentedControl
        size="xs"
        mb="xs"
        aria-label="Language"
        data={[...LANGUAGES]}
        value={language}
        onChange={(value) => setLanguage(value as Language)}
      />
      <CodeBlock label={`Sample in ${language}`} code={sample(language, operation, originOf(operation))} />
    </section>
  )
}

/** Calls may have a port of their own. */
function originOf({ auth }: ApiOperation): string {
  return auth === 'gateway' ? callOrigin() : window.location.origin
}
