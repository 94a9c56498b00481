import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { callOrigin } from '../../api/call-origin.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Panel } from '../../components/panel.tsx'
import { LANGUAGES, type Language } from '../../format/code-values.ts'
import { codeFor } from './code-for.ts'

/** The call on the left, for a program. */
export function CodePanel({ body }: { body: Record<string, unknown> | null }) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <Panel
      title="The same call as code"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Language"
          data={[...LANGUAGES]}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        />
      }
    >
      {body === null ? (
        <Text size="sm" c="dimmed">
          Choose a model and write a message to see the code.
        </Text>
      ) : (
        <CodeBlock label={`The call in ${language}`} code={codeFor(language, callOrigin(), body)} />
      )}
    </Panel>
  )
}
