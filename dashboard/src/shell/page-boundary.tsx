import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { EmptyState } from '../components/states.tsx'

/** A page that fails does not take the others with it. */
export class PageBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    // After an upgrade of the gateway the old page asks for files that no longer exist: reloading fixes it.
    return (
      <EmptyState title="This page crashed" tone="bad">
        {error.message}
        <Button mt="md" variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </EmptyState>
    )
  }
}
