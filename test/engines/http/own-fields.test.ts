import { describe, expect, it } from 'vitest'
import { withOwnFields } from '../../../src/engines/http/protocol.ts'

describe('fields of a profile or a caller in a request body', () => {
  it('R1 never displace what the walk decides', () => {
    const body = { model: 'm1', messages: [], stream: true }
    expect(withOwnFields(body, [{ model: 'other', messages: ['x'], stream: false, input: 'x', contents: 'x', modelId: 'x' }])).toEqual(body)
  })

  it('are added, displace what is no object, and meet an object key by key', () => {
    const body = { model: 'm1', temperature: 1, generationConfig: { topP: 0.5, topK: 1 } }
    const merged = withOwnFields(body, [{ temperature: 0, seed: 7 }, undefined, { generationConfig: { topK: 5 }, seed: 8 }])
    expect(merged).toEqual({ model: 'm1', temperature: 0, seed: 8, generationConfig: { topP: 0.5, topK: 5 } })
    expect(body.generationConfig).toEqual({ topP: 0.5, topK: 1 })
  })

  it('put tools of the provider behind those of the caller, and never take these away', () => {
    const caller = { type: 'function', name: 'look' }
    const search = { type: 'web_search' }
    expect(withOwnFields({ tools: [caller] }, [{ tools: [search] }])).toEqual({ tools: [caller, search] })
    expect(withOwnFields({}, [{ tools: [search] }])).toEqual({ tools: [search] })
    expect(withOwnFields({ tools: [caller] }, [{ tools: null }])).toEqual({ tools: [caller] })
  })
})

describe('R1 a field that the walk decides is not displaced by another spelling of its name', () => {
  it.each(['Model', 'MODEL', 'model_id', 'Messages', 'Stream', 'tool_config', 'CONTENTS'])('%s', (name) => {
    const body = { model: 'm1', messages: [], stream: true }
    expect(withOwnFields(body, [{ [name]: 'other' }])).toEqual(body)
  })
})
