"""Parts of `describe`: the scene, what a word tells of it, and the sentences to choose from."""
