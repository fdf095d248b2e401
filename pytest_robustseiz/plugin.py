"""Hooks of the plugin."""
