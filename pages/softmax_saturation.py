"""x"""
import streamlit as st
from pages._view import frame, show
frame.ensure_frame()
show.heading(frame.lesson("softmax_saturation"), "x")
