import { Anchor, Button, Code, Loader, Text, TextInput, Title } from '@mantine/core'
import { Menu, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Logo } from '../components/logo.tsx'
import { EmptyState } from '../components/states.tsx'
import { type ApiDocument, type ApiOperation, found, readDocument } from './document.ts'
import { Introduction } from './introduction.tsx'
import { OperationView } from './operation-view.tsx'
import classes from './reference.module.css'

/** The API reference at /docs: one operation at a time, chosen by the fragment of the address. */
export function ReferencePage() {
  const [loaded, setLoaded] = useState<ApiDocument | string | null>(null)
  const chosen = useFragment()
  useEffect(() => {
    fetch('/openapi.json')
      .then(async (reply) => setLoaded(readDocument((await reply.json()) as Record<string, unknown>)))
      .catch(() => setLoaded('The gateway does not answer. Reload this page to try again.'))
  }, [])
  if (loaded === null) return <Loader className={classes['loading'] ?? ''} role="status" aria-label="Loading" />
  if (typeof loaded === 'string') return <EmptyState title={loaded} tone="bad" />
  const operation = loaded.operations.find(({ id }) => id === chosen)
  return (
    <div className={classes['page']}>
      <Navigation document={loaded} chosen={operation?.id ?? ''} />
      <main className={classes['main']}>
        {operation === undefined ? (
          <Introduction document={loaded} />
        ) : (
          <OperationView key={operation.id} operation={operation} schemas={loaded.schemas} />
        )}
      </main>
    </div>
  )
}

function useFragment(): string {
  const read = () => decodeURIComponent(window.location.hash.slice(1))
  const [fragment, setFragment] = useState(read)
  useEffect(() => {
    const follow = () => {
      setFragment(read())
      window.scrollTo(0, 0)
    }
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  })
  return fragment
}

function Navigation({ document, chosen }: { document: ApiDocument; chosen: string }) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const shown = found(document.operations, text)
  const groups = Map.groupBy(shown, ({ tag }) => tag)
  return (
    <header className={classes['side']}>
      <div className={classes['head']}>
        <Anchor href="/dashboard" c="inherit" underline="never" className={classes['brand'] ?? ''}>
          <Logo /> Dashboard
        </Anchor>
        <Button
          className={classes['menu'] ?? ''}
          variant="default"
          leftSection={<Menu size={15} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Operations
        </Button>
      </div>
      <div className={classes['list']} data-open={isOpen || undefined}>
        <TextInput
          type="search"
          aria-label="Search operations"
          placeholder="Search operations"
          leftSection={<Search size={15} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <nav aria-label="Operations">
          <a href="#introduction" className={classes['item']} aria-current={chosen === '' ? 'page' : undefined}>
            Introduction
          </a>
          {[...groups].map(([tag, operations]) => (
            <Group key={tag} tag={tag} operations={operations} chosen={chosen} onFollow={() => setOpen(false)} />
          ))}
        </nav>
        {shown.length === 0 && (
          <Text size="sm" c="dimmed" role="status">
            No operation matches.
          </Text>
        )}
      </div>
    </header>
  )
}

interface GroupProps {
  tag: string
  operations: readonly ApiOperation[]
  chosen: string
  onFollow: () => void
}

function Group({ tag, operations, chosen, onFollow }: GroupProps) {
  return (
    <div>
      <Title order={2} className={classes['tag'] ?? ''}>
        {tag}
      </Title>
      {operations.map(({ id, method, summary }) => (
        <a
          key={id}
          href={`#${id}`}
          className={classes['item']}
          aria-current={chosen === id ? 'page' : undefined}
          onClick={onFollow}
        >
          <Code className={classes['method'] ?? ''} data-method={method}>
            {method}
          </Code>
          {/* What follows a semicolon is detail, which the page of the operation has. */}
          <span>{summary.split(';')[0]}</span>
        </a>
      ))}
    </div>
  )
}
